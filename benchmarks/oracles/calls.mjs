// Prints what every call in the TypeScript and JavaScript of a directory means, as the TypeScript compiler says:
// one JSON array a line, [file, line, target]. The target is [file, line] of a function, method or class here; null is
// one that is elsewhere, or a value that holds a function; "?" is what the compiler cannot tell.
//
//   NODE_PATH=... node calls.mjs DIR FILE...
import { createRequire } from 'node:module';
import path from 'node:path';
import fs from 'node:fs';

const require = createRequire(path.join(process.env.NODE_PATH ?? '.', 'x.js'));
const ts = require('typescript');
const root = fs.realpathSync(process.argv[2]);
const names = process.argv.slice(3).map((name) => path.join(root, name));
const configured = ts.findConfigFile(path.dirname(names[0] ?? root), ts.sys.fileExists);
const read = configured ? ts.readConfigFile(configured, ts.sys.readFile).config : {};
const { options } = ts.parseJsonConfigFileContent(read, ts.sys, path.dirname(configured ?? root));
const program = ts.createProgram(names, { ...options, allowJs: true, checkJs: true, noEmit: true, skipLibCheck: true,
  jsx: ts.JsxEmit.Preserve, rootDir: undefined });
const checker = program.getTypeChecker();
const wanted = new Set(names);

const DEFINING = new Set(['FunctionDeclaration', 'MethodDeclaration', 'MethodSignature', 'ClassDeclaration', 'ClassExpression',
  'FunctionExpression', 'ArrowFunction', 'Constructor', 'GetAccessor'].map((name) => ts.SyntaxKind[name]));

function place(declaration) {
  let node = declaration;
  if (ts.isConstructorDeclaration(node)) node = node.parent;
  if ((ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isClassExpression(node)) && !node.name) {
    while (ts.isParenthesizedExpression(node.parent) || ts.isAsExpression(node.parent) || ts.isSatisfiesExpression(node.parent)) node = node.parent;
    const holder = node.parent;
    if (!(holder.name && (ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder) || ts.isPropertyDeclaration(holder)))
      && !ts.isBinaryExpression(holder) && !ts.isExportAssignment(holder)) return null;
    node = holder;
  }
  const file = node.getSourceFile();
  if (!wanted.has(file.fileName)) return null;
  const at = (node.name ?? node).getStart(file);
  return [path.relative(root, file.fileName), file.getLineAndCharacterOfPosition(at).line + 1];
}

function called(callee) {
  if (ts.isPropertyAccessExpression(callee)) return callee.name;
  if (ts.isParenthesizedExpression(callee) || ts.isNonNullExpression(callee)) return called(callee.expression);
  return callee;
}

function signature(node) {
  try {
    return checker.getResolvedSignature(node)?.declaration;
  } catch { // what the compiler fails on, it cannot tell
    return undefined;
  }
}

function target(node, callee) {
  let symbol = checker.getSymbolAtLocation(callee);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  if (callee.kind === ts.SyntaxKind.SuperKeyword) symbol = checker.getTypeAtLocation(callee).symbol;
  const named = symbol?.declarations?.filter((one) => DEFINING.has(one.kind)) ?? [];
  if (symbol && symbol.flags & ts.SymbolFlags.Class) return place(named[0]); // its constructor may be a base's
  const declaration = signature(node);
  if (declaration && DEFINING.has(declaration.kind)) {
    const forms = declaration.symbol?.declarations ?? [];
    return place(declaration.body ? declaration : forms.find((one) => one.body) ?? declaration);
  }
  if (named.length) return place(named.find((one) => one.body) ?? named[0]);
  if (declaration) return null;
  return checker.getTypeAtLocation(callee).flags & ts.TypeFlags.Any ? '?' : null;
}

for (const file of program.getSourceFiles()) {
  if (!wanted.has(file.fileName)) continue;
  const visit = (node) => {
    let callee;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) callee = called(node.expression);
    else if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
      callee = /^[a-z]/.test(node.tagName.getText(file)) ? undefined : called(node.tagName);
    }
    if (callee && callee.kind !== ts.SyntaxKind.ImportKeyword) {
      const line = file.getLineAndCharacterOfPosition(callee.getEnd()).line + 1;
      process.stdout.write(JSON.stringify([path.relative(root, file.fileName), line, target(node, callee)]) + '\n');
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}
