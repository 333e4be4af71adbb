// A client whose types are generated: add, list, search, correct and erase a memory with a key. Prints what it saw.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

declare const process: { argv: string[] };
const [, , baseUrl, key] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
const subject = "user:ana";

async function main(): Promise<void> {
  const added = await client.POST("/v1/subjects/{subject}/memories", {
    params: { path: { subject }, header: { "Idempotency-Key": "typescript-1" } },
    body: { memories: [{ text: "Ana plays the cello.", importance: 0.8, type: "" }] },
  });
  const memory = added.data!.memories[0].id;
  const listed = await client.GET("/v1/subjects/{subject}/memories", {
    params: { path: { subject }, query: { kind: ["note"], limit: 10 } },
  });
  const found = await client.POST("/v1/subjects/{subject}/search", {
    params: { path: { subject } },
    body: { query: "music", limit: 1 },
  });
  const read = await client.GET("/v1/subjects/{subject}/memories/{memory}", { params: { path: { subject, memory } } });
  const corrected = await client.PATCH("/v1/subjects/{subject}/memories/{memory}", {
    params: { path: { subject, memory }, header: { "If-Match": read.response.headers.get("etag")! } },
    body: { text: "Ana plays the tuba." },
  });
  const erased = await client.DELETE("/v1/subjects/{subject}/memories/{memory}", {
    params: { path: { subject, memory: corrected.data!.id }, query: { keep_messages: true } },
  });
  const missing = await client.GET("/v1/subjects/{subject}/memories/{memory}", { params: { path: { subject, memory } } });
  const foreign = await client.GET("/v1/subjects/{subject}/memories", { params: { path: { subject: "user:ben" } } });
  console.log(
    JSON.stringify({
      listed: listed.data!.memories.map((known) => known.text),
      found: found.data!.items.map((item) => item.memory.text),
      corrected: corrected.data!.text,
      done: erased.data!.done,
      missing: missing.error!.type,
      foreign: foreign.error!.status,
    }),
  );
}

main();
