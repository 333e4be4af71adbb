// Remembers in one session, recalls in a new one, corrects and forgets, with either generation of the TypeScript client.
// Arguments: old|new, http|stdio, and a URL, or a command with its arguments. Prints JSON.

const [generation, transport, ...where] = process.argv.slice(2);
const { Client } = await import(generation === "old" ? "@modelcontextprotocol/sdk/client/index.js" : "@modelcontextprotocol/client");

async function connected(work) {
  const client = new Client({ name: `scenario-${generation}`, version: "1" });
  let channel;
  if (transport === "http") {
    const { StreamableHTTPClientTransport } = await import(
      generation === "old" ? "@modelcontextprotocol/sdk/client/streamableHttp.js" : "@modelcontextprotocol/client");
    channel = new StreamableHTTPClientTransport(new URL(where[0]));
  } else {
    const { StdioClientTransport } = await import(
      generation === "old" ? "@modelcontextprotocol/sdk/client/stdio.js" : "@modelcontextprotocol/client/stdio");
    channel = new StdioClientTransport({ command: where[0], args: where.slice(1), env: process.env });
  }
  await client.connect(channel);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const call = (client, name, args) => client.callTool({ name, arguments: args });

const kept = await connected(async (client) => call(client, "remember", { text: "Ana lives in Oslo." }));
const result = await connected(async (client) => {
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  const found = await call(client, "recall_memory", { query: "Where does Ana live?" });
  const fixed = await call(client, "correct_memory", { id: kept.structuredContent.id, text: "Ana lives in Bergen." });
  const again = await call(client, "recall_memory", { query: "Where does Ana live?" });
  await call(client, "forget_memory", { id: fixed.structuredContent.now.id, reason: "she asked" });
  const bad = await call(client, "recall_memory", { query: 5 });
  const left = await call(client, "list_memories", {});
  const profile = await client.readResource({ uri: "memory://profile" });
  return { tools, found: found.content[0].text, again: again.content[0].text, bad: bad.isError, left: left.content[0].text,
    profile: profile.contents[0].text };
});
console.log(JSON.stringify(result));
