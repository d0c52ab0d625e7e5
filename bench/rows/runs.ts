/** What a run costs around its graph. */
import type { Pool } from 'undici'
import { type BareGraph, startBareGraph } from '../bare-graph.ts'
import { rate } from '../clock.ts'
import { openPlace, PLACES, type Place, saverName } from '../place.ts'
import type { OpenRow, Row } from '../row.ts'

const CLIENTS = 16
const LOAD = { clients: CLIENTS, ms: 2000 }

const body = JSON.stringify({
  assistant_id: 'echo',
  input: { messages: [{ role: 'user', content: 'Hello' }] },
})

/** Runs of the echo graph over HTTP, against `graph.invoke` in a process that does nothing else. */
export const runsRows: Row[] = PLACES.map((place) => ({
  name: `runs${place.suffix}`,
  title: `runs/s of an echo graph through runs/wait, ${CLIENTS} clients, ${place.title}`,
  unit: 'runs/s',
  pairs: 5,
  open: () => openRuns(place),
}))

async function openRuns(place: Place): Promise<OpenRow> {
  const open = await openPlace(place)
  const bare = startBareGraph('none')
  const run = () => waitForRun(open.next())
  const floor = (graph: BareGraph) => () => graph.ask<number>({ what: 'rate', ...LOAD })
  const floors = {
    'graph.invoke, no checkpoints': floor(bare),
    [`graph.invoke, ${saverName(place)}`]: floor(open.saver),
  }
  await rate(run, LOAD)
  for (const warmUp of Object.values(floors)) await warmUp()
  return {
    figure: () => rate(run, LOAD),
    floors,
    async close() {
      await bare.stop()
      await open.close()
    },
  }
}

async function waitForRun(pool: Pool): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await pool.request({ method: 'POST', path: '/runs/wait', headers, body })
  const values = (await response.body.json()) as { messages?: unknown[] }
  if (values.messages?.length !== 2) throw new Error(`It answered ${JSON.stringify(values)}.`)
}
