// Chats in the Responses and the Messages format with the official SDKs and prints what came of it as one JSON object.
// Usage: node sdks.mjs SERVER USER
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const [server, user] = process.argv.slice(2);
const question = "What am I allergic to?";
const other = "Are almonds in marzipan?";
const png = "iVBORw0KGgo=";
const parameters = { type: "object", properties: { a: { type: "integer" } } };
const ways = ["off", "on"].flatMap((memory) => [false, true].map((stream) => ({ memory, stream })));

function responses(memory) {
  const defaultHeaders = { "x-toldonce-user": user, "x-toldonce-memory": memory };
  const client = new OpenAI({ baseURL: `${server}/v1`, apiKey: "sk-client", maxRetries: 0, defaultHeaders });
  const picture = { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "auto" };
  const options = {
    store: false,
    include: ["reasoning.encrypted_content"],
    tools: [{ type: "function", name: "weather", parameters, strict: false }],
    text: { format: { type: "json_schema", name: "said", schema: parameters, strict: false } },
  };

  async function ask(body, stream) {
    if (!stream) return client.responses.create({ ...options, ...body });
    let memories;
    for await (const event of await client.responses.create({ ...options, ...body, stream })) {
      if (event.type === "response.created") memories = event.response.memories;
      if (event.type === "response.completed") return { memories, ...event.response };
    }
  }

  return {
    async chat(model, stream) {
      const input = [{ role: "user", content: [picture, { type: "input_text", text: question }] }];
      const calling = await ask({ model, input }, stream);
      const { call_id } = calling.output.find((item) => item.type === "function_call");
      input.push(...calling.output, { type: "function_call_output", call_id, output: "Sun." });
      const { output } = await ask({ model, input }, stream);
      return { memories: calling.memories, said: output[0].content[0].text };
    },
    ask: (model, options) => client.responses.create({ model, input: question, store: false }, options),
    stream: (model, options) => client.responses.create({ model, input: other, store: false, stream: true }, options),
  };
}

function messages(memory) {
  const defaultHeaders = { "x-toldonce-user": user, "x-toldonce-memory": memory };
  const client = new Anthropic({ baseURL: server, apiKey: "sk-client", maxRetries: 0, defaultHeaders });
  const source = { type: "base64", media_type: "image/png", data: png };
  const options = { max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 1024 } };
  const tools = [{ name: "weather", input_schema: parameters }];

  async function ask(body, stream) {
    if (!stream) return client.messages.create({ ...options, tools, ...body });
    return client.messages.stream({ ...options, tools, ...body }).finalMessage();
  }

  return {
    async chat(model, stream) {
      const text = { type: "text", text: question, cache_control: { type: "ephemeral" } };
      const said = [{ role: "user", content: [{ type: "image", source }, text] }];
      const calling = await ask({ model, messages: said }, stream);
      const { id } = calling.content.find((block) => block.type === "tool_use");
      const result = { type: "tool_result", tool_use_id: id, content: "Sun." };
      said.push({ role: "assistant", content: calling.content }, { role: "user", content: [result] });
      const { content } = await ask({ model, messages: said }, stream);
      return { memories: calling.memories, said: content[0].text.trim() };
    },
    ask: (model, more) =>
      client.messages.create({ model, max_tokens: 9, messages: [{ role: "user", content: question }] }, more),
    stream: (model, more) =>
      client.messages.create(
        { model, max_tokens: 9, messages: [{ role: "user", content: `${other}!` }], stream: true },
        more,
      ),
  };
}

async function refusal(asked) {
  try {
    await asked;
  } catch (error) {
    return { kind: error.constructor.name, status: error.status, after: error.headers.get("retry-after") };
  }
}

async function brokenOff(sdk, model) {
  const controller = new AbortController();
  let words = 0;
  for await (const event of await sdk.stream(model, { signal: controller.signal })) {
    if (!event.type.endsWith("delta")) continue;
    words += 1;
    controller.abort();
  }
  return words;
}

const came = {};
for (const [name, open, model, refusing] of [
  ["responses", responses, "gpt-5", ["limited", "broken"]],
  ["messages", messages, "claude-opus-5", ["limited", "overloaded"]],
]) {
  const sdk = open("on");
  const chats = [];
  for (const { memory, stream } of ways) {
    const chat = await open(memory).chat(`${model}:${user}-${memory}-${stream}`, stream);
    chats.push({ memory, stream, ...chat });
  }
  const refusals = [];
  for (const refused of refusing) refusals.push(await refusal(sdk.ask(refused)));
  came[name] = { chats, refusals, brokenOff: await brokenOff(sdk, `slow:${user}`) };
}
console.log(JSON.stringify(came));
