// Chats through a ToldOnce server as each user and prints what came of it as one JSON object, by user.
// Usage: node chat.mjs BASE_URL USER…; a user is named LIBRARY-MODEL, after what chats.
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";

const [baseURL, ...users] = process.argv.slice(2);
const question = "What am I allergic to?";
const weather = "How is the weather in Oslo?";

async function withOpenAI(model, headers) {
  const client = new OpenAI({ baseURL, apiKey: "sk-client", maxRetries: 0, defaultHeaders: headers });
  const chat = (messages, more = {}) => client.chat.completions.create({ model, messages, ...more });
  if (model === "tools") {
    const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
    const messages = [{ role: "user", content: weather }];
    const asked = (await chat(messages, { tools })).choices[0].message;
    messages.push(asked, { role: "tool", tool_call_id: asked.tool_calls[0].id, content: "Rain" });
    return { said: (await chat(messages, { tools })).choices[0].message.content };
  }
  const messages = [{ role: "user", content: question }];
  const whole = await chat(messages);
  messages.push(whole.choices[0].message, { role: "user", content: "And where do I live?" });
  let streamed = "";
  let memories = [];
  for await (const chunk of await chat(messages, { stream: true })) {
    streamed += chunk.choices[0]?.delta?.content ?? "";
    memories = memories.concat(chunk.memories ?? []);
  }
  return { said: whole.choices[0].message.content, streamed, memories };
}

async function withVercel(model, headers) {
  const llm = createOpenAI({ baseURL, apiKey: "sk-client", headers }).chat(model);
  if (model === "tools") {
    const tools = {
      weather: tool({
        description: "Tell the weather in a city.",
        inputSchema: z.object({ city: z.string() }),
        execute: async () => "Rain",
      }),
    };
    const answer = streamText({ model: llm, prompt: weather, tools, stopWhen: stepCountIs(3), maxRetries: 0 });
    return { said: await answer.text };
  }
  const messages = [{ role: "user", content: question }];
  const whole = await generateText({ model: llm, messages, maxRetries: 0 });
  messages.push({ role: "assistant", content: whole.text }, { role: "user", content: "And where do I live?" });
  let streamed = "";
  for await (const piece of streamText({ model: llm, messages, maxRetries: 0 }).textStream) streamed += piece;
  return { said: whole.text, streamed };
}

const libraries = { openai: withOpenAI, vercel: withVercel };
const came = {};
for (const user of users) {
  const [library, model] = user.split("-");
  came[user] = await libraries[library](model, { "x-toldonce-user": user });
}
console.log(JSON.stringify(came));
