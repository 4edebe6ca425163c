// rg-memory plugin
// Tells rg-hook which tool calls and prompts name GitHub material, and shows the model what memory already holds of it.
// Everything is guarded: OpenCode has no error boundary and no timeout around a hook, and console output breaks its UI.
// One export only: OpenCode calls every exported function as a plugin, and one that is not a function fails the file.
import { spawn } from "node:child_process"

const HOOK = __RG_HOOK__
const WAIT_MS = 1000 // the longest that a result, a prompt or a request waits for rg-hook
const SERVER = "resources-graph"
const MEMORY = "resources-graph_resource"
const OURS = "resources-graph_"
const WITHOUT_MCP = new Set(["explore"]) // agents that are not offered MCP tools
const TITLE = "You are a title generator"
// Tools that fetch nothing: no process is started for them.
const LOCAL = new Set(
  ["apply_patch", "edit", "glob", "grep", "invalid", "list", "list_mcp_resource_templates", "list_mcp_resources", "lsp",
    "multiedit", "patch", "question", "read", "read_mcp_resource", "skill", "task", "todoread", "todowrite", "write"])
const KEPT = 500 // calls whose notes are remembered

// Resolves to rg-hook's note, or to "" on any failure or after WAIT_MS; rg-hook then still finishes on its own.
function ask(payload, event = payload.hook) {
  return new Promise((resolve) => {
    let child, timer, out = ""
    const finish = (note) => {
      clearTimeout(timer)
      resolve(note)
    }
    const parse = () => {
      try {
        return String(JSON.parse(out).note ?? "")
      } catch {
        return ""
      }
    }
    try {
      const stdio = ["pipe", "pipe", "ignore"]
      child = spawn(HOOK, ["opencode", event], { detached: true, windowsHide: true, stdio })
      timer = setTimeout(() => {
        finish("")
        child.stdout.destroy()
      }, WAIT_MS)
      child.on("error", () => finish(""))
      child.on("close", () => finish(parse()))
      child.stdin.on("error", () => {})
      child.stdout.on("error", () => {})
      child.stdout.on("data", (data) => {
        if (out.length < 65536) out += data
      })
      child.stdin.end(JSON.stringify(payload))
      child.unref()
    } catch {
      finish("")
    }
  })
}

export const RgMemory = async ({ client, directory }) => {
  // The same plugin may be found in two places, e.g. user and project: only the first of a directory works.
  const running = (globalThis[Symbol.for("rg-memory")] ??= new Set())
  if (running.has(directory)) return {}
  running.add(directory)

  const children = new Map() // session of a subagent -> {parent: the session a person talks to, agent}
  const agents = new Map() // session -> agent
  const notes = new Map() // call -> [promise of a note]; code mode's inner calls "id/1" count for their outer call
  const shown = new Set() // calls whose note is in their result
  const begins = new Map() // session -> promise of what it is told when it begins
  let last

  const guard = (hook) => async (input, output) => {
    try {
      await hook(input, output)
    } catch {}
  }
  const remember = (map, key, value) => {
    map.set(key, value)
    if (map.size > KEPT) map.delete(map.keys().next().value)
  }
  const send = (hook, input, output) => {
    const child = children.get(input.sessionID)
    return ask({ hook, input, output, directory, ...(child && { parentID: child.parent, agent: child.agent }) })
  }
  const connected = async () => {
    const late = new Promise((resolve) => setTimeout(resolve, WAIT_MS).unref())
    const answer = await Promise.race([client.mcp.status(), late])
    return answer?.data?.[SERVER]?.status === "connected"
  }
  const outer = (callID) => callID.split("/")[0]
  const note = async (callID) => (await Promise.all(notes.get(callID) ?? [])).filter(Boolean).join("\n")

  return {
    event: guard(async ({ event }) => {
      const info = event?.type === "session.created" && event.properties?.info
      if (!info?.parentID) return
      const parent = children.get(info.parentID)?.parent ?? info.parentID
      remember(children, info.id, { parent, agent: info.agent ?? "" })
      if (info.agent) remember(agents, info.id, info.agent)
    }),

    "chat.message": guard(async (input, output) => {
      const { message, parts } = output
      remember(agents, input.sessionID, message.agent)
      if (children.has(input.sessionID)) return // the model wrote it
      last = input.sessionID
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
      if (!typed.length) return
      const of = { sessionID: input.sessionID, agent: input.agent }
      const texts = typed.map(({ type, text }) => ({ type, text }))
      const text = await send("chat.message", of, { message: { id: message.id }, parts: texts })
      const { id, sessionID, messageID } = typed[0]
      if (text) parts.push({ id: `${id}rg`, sessionID, messageID, type: "text", synthetic: true, text })
    }),

    "tool.execute.before": guard(async (input, output) => {
      const { tool, sessionID, callID } = input
      if (LOCAL.has(tool)) return
      const asked = send("tool.execute.before", { tool, sessionID, callID }, { args: output.args })
      // The tool starts at once; only our own waits, so that its server finds whose call it is.
      if (tool.startsWith(OURS)) await asked
      else remember(notes, outer(callID), [...(notes.get(outer(callID)) ?? []), asked])
    }),

    "tool.execute.after": guard(async (input, output) => {
      const text = await note(input.callID)
      if (!text) return
      // In front, because an MCP result is cut after this hook and keeps its head.
      if (Array.isArray(output.content)) output.content.unshift({ type: "text", text })
      else if (typeof output.output === "string") output.output = `${text}\n${output.output}`
      else return
      shown.add(input.callID)
    }),

    // A tool that failed has no tool.execute.after; this is asked before every request and changes only that request.
    "experimental.chat.messages.transform": guard(async (_input, output) => {
      for (const { parts } of output.messages) {
        for (const { type, callID, state } of parts) {
          if (type !== "tool" || state?.status !== "error" || !notes.has(callID) || shown.has(callID)) continue
          const text = await note(callID)
          if (text) state.error = `${text}\n${state.error}`
        }
      }
    }),

    // What a session is told when it begins: the Hint, which the MCP server's instructions say too where the version passes
    // them on, and behind an empty line what its agent should have.
    "experimental.chat.system.transform": guard(async (input, output) => {
      const { sessionID } = input
      const first = output.system[0]
      if (!sessionID || !first || first.startsWith(TITLE)) return
      if (WITHOUT_MCP.has(agents.get(sessionID)) || !(await connected())) return
      const event = { type: "session.created", properties: { info: { id: sessionID } } }
      if (!begins.has(sessionID)) {
        const child = children.get(sessionID)
        const of = child && { parentID: child.parent, agent: child.agent }
        remember(begins, sessionID, ask({ hook: "event", input: { event }, directory, ...of }, "SessionStart"))
      }
      const [hint, ...equipment] = (await begins.get(sessionID)).split("\n\n")
      const text = (first.includes(MEMORY) ? equipment : [hint, ...equipment]).join("\n\n")
      // To the first: a second system message is refused by some chat templates.
      if (text) output.system[0] += `\n${text}`
    }),

    dispose: guard(async () => {
      running.delete(directory)
      if (last) ask({ hook: "dispose", input: { sessionID: last }, directory }, "SessionEnd")
    }),
  }
}
