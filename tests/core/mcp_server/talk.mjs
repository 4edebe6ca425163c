// One conversation with rg-mcp by an official TypeScript client; prints what it saw as JSON.
// node talk.mjs NODE_MODULES v1|v2|v2-auto PYTHON ADDRESS
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, which, python, address] = process.argv.slice(2);
const require = createRequire(modules + '/');
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const { Client } = await load(which === 'v1' ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
const { StdioClientTransport } = await load(
  which === 'v1' ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio',
);
const options = which === 'v2-auto' ? { versionNegotiation: { mode: 'auto' } } : {};
const client = new Client({ name: 'talk', version: '1' }, options);
const transport = new StdioClientTransport({ command: python, args: ['-m', 'rg_core.mcp_server.main'], env: process.env });
await client.connect(transport);

const tools = (await client.listTools()).tools;
const call = await client.callTool({ name: 'resource', arguments: { address } });
const uri = /resources-graph:\/\/state\/\w+/.exec(call.content[0].text)[0];
const body = await client.readResource({ uri });
const templates = (await client.listResourceTemplates()).resourceTemplates;
const ref = { type: 'ref/resource', uri: templates[0].uriTemplate };
const completion = await client.complete({ ref, argument: { name: 'id', value: 'github:' } });
let missing;
try {
  await client.readResource({ uri: 'resources-graph://state/none' });
} catch (error) {
  missing = error.code;
}
const failed = await client.callTool({ name: 'resource', arguments: { address, page: 'x' } });
console.log(
  JSON.stringify({
    tools: tools.map((tool) => tool.name),
    text: call.content.map((block) => block.text),
    body: JSON.parse(body.contents[0].text),
    templates: templates.map((template) => template.uriTemplate),
    completion: completion.completion.values,
    missing,
    failed: failed.isError,
  }),
);
await client.close();
