// Prints what every call in a Go module means, as go/types says: one JSON array a line, [file, line, target].
// The target is [file, line] of a function or method of the module; null is one that is elsewhere. Calls of values that
// hold functions, and conversions, are no calls of a definition and are left out.
//
//	go run calls.go DIR
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

type listed struct {
	Dir, ImportPath, ForTest, Export string
	Name                             string
	GoFiles, CgoFiles                []string
	ImportMap                        map[string]string
	Module                           *struct{ Main bool }
}

func main() {
	root, err := filepath.Abs(os.Args[1])
	fatal(err)
	root, err = filepath.EvalSymlinks(root)
	fatal(err)
	command := exec.Command("go", "list", "-e", "-export", "-deps", "-test", "-json=Dir,ImportPath,ForTest,Export,Name,GoFiles,CgoFiles,ImportMap,Module", "./...")
	command.Dir, command.Stderr = root, io.Discard
	out, err := command.Output()
	fatal(err)
	exports := map[string]string{}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var one listed
		if err := decoder.Decode(&one); err == io.EOF {
			break
		} else {
			fatal(err)
		}
		exports[one.ImportPath] = one.Export
		if one.Module != nil && one.Module.Main && !strings.HasSuffix(one.ImportPath, ".test") {
			packages = append(packages, one)
		}
	}
	tested := map[string]bool{} // its files are in the variant for tests, too
	for _, one := range packages {
		if one.ForTest != "" {
			tested[one.ForTest] = true
		}
	}
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	for _, one := range packages {
		own := one.ForTest == "" || strings.HasPrefix(one.ImportPath, one.ForTest+" ") || strings.HasPrefix(one.ImportPath, one.ForTest+"_test ")
		if own && !(one.ForTest == "" && tested[one.ImportPath]) {
			check(one, exports, root, writer)
		}
	}
}

func check(one listed, exports map[string]string, root string, writer io.Writer) {
	files := token.NewFileSet()
	lookup := func(path string) (io.ReadCloser, error) {
		if mapped, ok := one.ImportMap[path]; ok {
			path = mapped
		}
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	}
	var parsed []*ast.File
	for _, name := range append(one.GoFiles, one.CgoFiles...) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(one.Dir, name)
		}
		if file, err := parser.ParseFile(files, name, nil, 0); err == nil {
			parsed = append(parsed, file)
		}
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: importer.ForCompiler(files, "gc", lookup), Error: func(error) {}}
	config.Check(one.ImportPath, files, parsed, &info)
	place := func(pos token.Pos) (string, int, bool) {
		at := files.Position(pos)
		path, err := filepath.Rel(root, at.Filename)
		return filepath.ToSlash(path), at.Line, err == nil && !strings.HasPrefix(path, "..") && filepath.IsAbs(at.Filename)
	}
	for _, file := range parsed {
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := callee(call.Fun)
			if name == nil {
				return true
			}
			function, ok := info.Uses[name].(*types.Func)
			if !ok {
				return true
			}
			path, line, inside := place(name.Pos())
			if !inside {
				return true
			}
			var target any
			if to, at, here := place(function.Origin().Pos()); here {
				target = []any{to, at}
			}
			text, err := json.Marshal([]any{path, line, target})
			fatal(err)
			fmt.Fprintln(writer, string(text))
			return true
		})
	}
}

func callee(expression ast.Expr) *ast.Ident {
	switch found := ast.Unparen(expression).(type) {
	case *ast.Ident:
		return found
	case *ast.SelectorExpr:
		return found.Sel
	case *ast.IndexExpr:
		return callee(found.X)
	case *ast.IndexListExpr:
		return callee(found.X)
	}
	return nil
}

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
