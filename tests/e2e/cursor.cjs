// Drives Cursor's own agent runtime (npm @cursor/sdk) with a scripted backend on loopback. Cursor's agent loop and model
// live in its backend, which sends the client what to execute and gets the results, and hooks' notes beside them; so the
// backend is what is played here, with the message classes of the SDK itself.
//
// node cursor.cjs JOB RESULT: both JSON. The job has sdk (its folder), cwd, prompt, port and conversations, each a marker
// in the prompt it is for, and steps, each the JSON of an agent.v1.ExecServerMessage; the result has the client's answers
// by marker and the run's status.
const { readFileSync, writeFileSync } = require("node:fs")
const http = require("node:http")
const Module = require("node:module")

const [jobFile, resultFile] = process.argv.slice(2)
const job = JSON.parse(readFileSync(jobFile, "utf8"))

// The bundle keeps its message classes to itself: let its module loader out while it is compiled.
const compile = Module.prototype._compile
Module.prototype._compile = function (source, name) {
  const entry = name.endsWith("dist/cjs/index.js")
  const end = /module\.exports=(\w+)\}\)\(\);?\s*$/
  return compile.call(this, entry ? source.replace(end, "globalThis.loader=i;module.exports=$1})();") : source, name)
}
const { Agent } = require(job.sdk)
const types = {}
for (const id of Object.keys(globalThis.loader.m).filter((id) => id.endsWith("_pb.js"))) {
  for (const type of Object.values(globalThis.loader(id))) if (type?.typeName) types[type.typeName] = type
}
const Server = types["agent.v1.AgentServerMessage"]
const Client = types["agent.v1.AgentClientMessage"]
const RequestId = types["aiserver.v1.BidiRequestId"]
const Append = types["aiserver.v1.BidiAppendRequest"]

const token = [{ alg: "none" }, { sub: "u|1", exp: 4102444800 }, "x"]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".")
const model = { id: "mock-model", displayName: "Mock" }
const PLAIN = {
  "/auth/exchange_user_api_key": { accessToken: token, refreshToken: token, authId: "u|1" },
  "/v1/models": { items: [model], models: [model] },
}
const answers = Object.fromEntries(job.conversations.map(({ marker }) => [marker, []]))
const runs = new Map() // request id -> the run that streams under it

function say(run, message) {
  const bytes = Buffer.from(Server.fromJson(message).toBinary())
  const head = Buffer.alloc(5)
  head.writeUInt32BE(bytes.length, 1)
  run.stream.write(Buffer.concat([head, bytes]))
}

function go(run) {
  if (run.next < run.steps.length) {
    const step = run.steps[run.next++]
    if (step.shellArgs) step.shellArgs = { workingDirectory: job.cwd, parsingResult: {}, ...step.shellArgs }
    const ids = { id: run.next, execId: `exec-${run.next}`, acceptHookAdditionalContexts: true }
    return say(run, { execServerMessage: { ...ids, ...step } })
  }
  say(run, { interactionUpdate: { textDelta: { text: "done" } } })
  say(run, { interactionUpdate: { turnEnded: {} } })
  run.stream.end(Buffer.from([2, 0, 0, 0, 2, 0x7b, 0x7d])) // the end of a Connect stream: an empty JSON object
}

function heard(body) {
  const append = Append.fromBinary(body)
  const run = runs.get(append.requestId.requestId)
  const bytes = append.dataBinary?.length ? append.dataBinary : Buffer.from(append.data, "hex")
  const message = Client.fromBinary(bytes).toJson()
  if (message.runRequest) {
    const asked = JSON.stringify(message.runRequest)
    const found = job.conversations.find(({ marker }) => asked.includes(marker))
    Object.assign(run, { marker: found.marker, steps: [{ requestContextArgs: {} }, ...found.steps], next: 0 })
    return go(run)
  }
  if (message.execClientMessage?.id !== run.next) return
  answers[run.marker].push(message.execClientMessage)
  go(run)
}

const server = http.createServer((request, response) => {
  const parts = []
  request.on("data", (part) => parts.push(part))
  request.on("end", () => {
    const path = request.url.split("?")[0]
    if (path.endsWith(".AgentService/RunSSE")) {
      response.writeHead(200, { "content-type": "application/connect+proto" })
      runs.set(RequestId.fromBinary(Buffer.concat(parts).subarray(5)).requestId, { stream: response })
      return
    }
    if (path.endsWith(".BidiService/BidiAppend")) heard(Buffer.concat(parts))
    const proto = request.headers["content-type"]?.startsWith("application/proto")
    response.writeHead(200, { "content-type": proto ? "application/proto" : "application/json" })
    response.end(proto ? "" : JSON.stringify(PLAIN[path] ?? {}))
  })
})

async function main() {
  const local = { cwd: job.cwd, settingSources: ["user", "project"] }
  const agent = await Agent.create({ apiKey: "dummy", model: { id: model.id }, local })
  const run = await agent.send(job.prompt)
  const events = []
  for await (const event of run.stream()) events.push(event)
  return { status: (await run.wait()).status, events }
}

server.listen(job.port, "127.0.0.1", async () => {
  const said = await main().catch((error) => ({ status: String(error?.stack ?? error), events: [] }))
  writeFileSync(resultFile, JSON.stringify({ answers, ...said }))
  process.exit()
})
