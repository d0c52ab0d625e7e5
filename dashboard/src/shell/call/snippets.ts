/** Code that calls an agent from elsewhere, ready to copy and run. */

export interface Target {
  /** The agent server's URL. */
  url: string
  assistant: string
  key: string
}

export interface Snippet {
  id: string
  label: string
  /** The command that installs what the code needs. */
  install?: string
  text: (target: Target) => string
}

export const SNIPPETS: readonly Snippet[] = [
  {
    id: 'curl',
    label: 'curl',
    text: ({ url, assistant, key }) => `curl -s ${url}/runs/wait \\
  -H 'x-api-key: ${key}' \\
  -H 'content-type: application/json' \\
  -d '{"assistant_id": "${assistant}",
    "input": {"messages": [{"role": "user", "content": "Hello"}]}}'`,
  },
  {
    id: 'python',
    label: 'Python',
    install: 'pip install langgraph-sdk',
    text: ({ url, assistant, key }) => `from langgraph_sdk import get_sync_client

client = get_sync_client(url="${url}",
                         api_key="${key}")
thread = client.threads.create()
for part in client.runs.stream(
    thread["thread_id"], "${assistant}", stream_mode="messages-tuple",
    input={"messages": [{"role": "user", "content": "Hello"}]},
):
    if part.event == "messages":
        print(part.data[0]["content"], end="", flush=True)`,
  },
  {
    id: 'javascript',
    label: 'JavaScript',
    install: 'npm install @langchain/langgraph-sdk',
    text: ({ url, assistant, key }) => `import { Client } from '@langchain/langgraph-sdk'

const client = new Client({
  apiUrl: '${url}',
  apiKey: '${key}',
})
const { thread_id } = await client.threads.create()
const stream = client.runs.stream(thread_id, '${assistant}', {
  input: { messages: [{ role: 'user', content: 'Hello' }] },
  streamMode: 'messages-tuple',
})
for await (const { event, data } of stream) {
  if (event === 'messages') process.stdout.write(data[0].content)
}`,
  },
]
