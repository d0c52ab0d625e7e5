// Writes the generated files that are committed: both OpenAPI documents, the client's types, the schema
// snapshots, the dashboard's icons, and the table of docs/settings.md.
// With `--check` it writes nothing, and fails when one of them is out of date.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agentServerTypes, clientTypes } from '../client/generate.ts'
import type { Parts } from '../src/agent-server/agent-server-parts.ts'
import { AnswerBudget } from '../src/agent-server/answer-budget.ts'
import { createAgentServerApp } from '../src/agent-server/server/app.ts'
import type { ControlPlaneParts } from '../src/control-plane/control-plane-parts.ts'
import { createControlPlaneApp } from '../src/control-plane/server/app.ts'
import { silentLog } from '../src/core/log.ts'
import { withSettingsTable } from '../src/settings/documentation.ts'
import { AGENT_SERVER_MIGRATIONS } from '../src/storage/agent/store.ts'
import { CONTROL_PLANE_MIGRATIONS } from '../src/storage/control-plane/store.ts'
import type { Migration } from '../src/storage/migrations/migrate.ts'
import { postgresSchema, sqliteSchema } from '../src/storage/migrations/snapshot.ts'
import { startCluster } from '../test/support/postgres/postgres-cluster.ts'
import { iconComponents } from './icons.ts'

interface App {
  request(path: string): Response | Promise<Response>
}

/** The document as the server answers it; only other requests use the routes' parts. */
async function documentOf(app: App): Promise<string> {
  const response = await app.request('/openapi.json')
  const document: unknown = await response.json()
  if (!response.ok) throw new Error(`/openapi.json answers ${JSON.stringify(document)}`)
  return `${JSON.stringify(document, undefined, 2)}\n`
}

const answers = new AnswerBudget(Number.POSITIVE_INFINITY)
const agentServer = createAgentServerApp({ answers, log: silentLog } as Parts, {
  apiKeys: [],
  version: '0',
})
const controlPlane = createControlPlaneApp({ log: silentLog } as ControlPlaneParts)

/** On a temporary cluster. */
async function postgresSchemas(): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'runyard-generate-'))
  const cluster = await startCluster(folder, { owner: process.pid })
  try {
    const of = (migrations: readonly Migration[]) => postgresSchema(cluster.url, migrations)
    return {
      'src/storage/schema/agent-server.postgres.sql': await of(AGENT_SERVER_MIGRATIONS),
      'src/storage/schema/control-plane.postgres.sql': await of(CONTROL_PLANE_MIGRATIONS),
    }
  } finally {
    await cluster.stop('immediate')
    rmSync(folder, { recursive: true, force: true })
  }
}

const agentServerDocument = await documentOf(agentServer)
const controlPlaneDocument = await documentOf(controlPlane)

const settings = readFileSync(new URL('../docs/settings.md', import.meta.url), 'utf8')

const generated: Record<string, string> = {
  'docs/settings.md': withSettingsTable(settings),
  'openapi/agent-server.json': agentServerDocument,
  'openapi/control-plane.json': controlPlaneDocument,
  'client/src/agent-server.gen.ts': await agentServerTypes(agentServerDocument),
  'client/src/control-plane.gen.ts': await clientTypes(controlPlaneDocument),
  'dashboard/src/design/icon.gen.tsx': iconComponents(
    fileURLToPath(new URL('../dashboard/src', import.meta.url)),
  ),
  'src/storage/schema/agent-server.sqlite.sql': await sqliteSchema(AGENT_SERVER_MIGRATIONS),
  'src/storage/schema/control-plane.sqlite.sql': await sqliteSchema(CONTROL_PLANE_MIGRATIONS),
  ...(await postgresSchemas()),
}

const isCheck = process.argv.includes('--check')
for (const [name, content] of Object.entries(generated)) {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url))
  if (existsSync(file) && readFileSync(file, 'utf8') === content) continue
  if (isCheck) {
    console.error(`${name} is out of date: run "npm run generate"`)
    process.exitCode = 1
  } else {
    writeFileSync(file, content)
    console.log(`wrote ${name}`)
  }
}
