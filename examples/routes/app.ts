import { Client } from '@langchain/langgraph-sdk'
import { Hono } from 'hono'

/** Without an address: it talks to the server that this runs in. */
const client = new Client({ apiKey: null })

export const app = new Hono()
  // Around everything, the API and its streams too.
  .use(async (c, next) => {
    const began = performance.now()
    await next()
    c.header('server-timing', `total;dur=${(performance.now() - began).toFixed(1)}`)
  })
  .get('/haiku/:about', async (c) => {
    const input = { about: c.req.param('about') }
    const { lines } = (await client.runs.wait(null, 'haiku', { input })) as { lines: string[] }
    return c.text(`${lines.join('\n')}\n`)
  })
  .post('/feedback', async (c) => {
    const { stars } = await c.req.parseBody()
    return c.json({ thanks: `for ${stars} stars` })
  })
