/** One assistant: its settings, its versions, and the schemas of its graph. */
import type { Assistant } from '@langchain/langgraph-sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useAgentServer } from '../../api/agent-server.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { Id } from '../../design/text/id.tsx'
import { OnlyLooks, Talks } from '../../shell/talks.tsx'
import { assistantQuery, schemasQuery } from '../queries.ts'
import { ViewButtons } from '../view-buttons.tsx'
import { AssistantForm } from './assistant-form.tsx'
import { AssistantVersions } from './assistant-versions.tsx'
import { NewAssistant } from './new-assistant.tsx'
import { type AssistantView, NEW, useAssistantSearch } from './search.ts'

/** Open while the address names an assistant to edit. */
export function AssistantDialog() {
  const { search, close } = useAssistantSearch()
  const { edit } = search
  if (edit === undefined) return null
  if (edit === NEW) {
    return (
      <Dialog title="New assistant" isOpen onClose={close} size="wide">
        <Talks otherwise={<OnlyLooks />}>
          <NewAssistant />
        </Talks>
      </Dialog>
    )
  }
  return <Known key={edit} id={edit} />
}

function Known({ id }: { id: string }) {
  const server = useAgentServer()
  const { close } = useAssistantSearch()
  const query = useQuery(assistantQuery(server, id))
  return (
    <Dialog title={query.data?.name ?? 'Assistant'} isOpen onClose={close} size="wide">
      <QueryView query={query} what="the assistant">
        {(assistant) => <Views assistant={assistant} />}
      </QueryView>
    </Dialog>
  )
}

const LABELS: Record<AssistantView, string> = {
  settings: 'Settings',
  versions: 'Versions',
  schemas: 'Schemas',
}

function Views({ assistant }: { assistant: Assistant }) {
  const { search, change } = useAssistantSearch()
  const view = search.about ?? 'settings'
  return (
    <>
      <p className="mb-3 flex flex-wrap items-center gap-x-4 text-ink-soft">
        <span>
          Graph <code>{assistant.graph_id}</code>
        </span>
        <span>Version {assistant.version} in force</span>
        <Id id={assistant.assistant_id} />
      </p>
      <div className="mb-4 flex gap-1 border-b border-line">
        <ViewButtons
          labels={LABELS}
          view={view}
          onChange={(about) => change({ about, version: undefined })}
          className="px-3 py-1.5"
        />
      </div>
      {view === 'settings' && <Settings key={assistant.version} assistant={assistant} />}
      {view === 'versions' && <AssistantVersions assistant={assistant} />}
      {view === 'schemas' && <AssistantSchemas assistantId={assistant.assistant_id} />}
    </>
  )
}

function Settings({ assistant }: { assistant: Assistant }) {
  const server = useAgentServer()
  const navigate = useNavigate()
  const schemas = useQuery(schemasQuery(server, assistant.assistant_id))
  return (
    <QueryView query={schemas} what="what its graph can be told">
      {(known) => (
        <AssistantForm
          assistant={assistant}
          schemas={known}
          onDelete={() => navigate({ to: server.pages.studio(assistant.graph_id) })}
        />
      )}
    </QueryView>
  )
}

const SCHEMAS = [
  ['input_schema', 'Input'],
  ['output_schema', 'Output'],
  ['state_schema', 'State'],
  ['context_schema', 'Context'],
  ['config_schema', 'Configuration'],
] as const

function AssistantSchemas({ assistantId }: { assistantId: string }) {
  const server = useAgentServer()
  const query = useQuery(schemasQuery(server, assistantId))
  return (
    <QueryView query={query} what="the schemas">
      {(schemas) => (
        <div className="space-y-4">
          {SCHEMAS.map(([key, label]) => (
            <section key={key}>
              <h3 className="mb-1 text-sm font-medium text-ink-soft">{label}</h3>
              {schemas[key] ? (
                <JsonView value={schemas[key]} openDepth={2} />
              ) : (
                <p className="text-ink-soft">The graph does not tell.</p>
              )}
            </section>
          ))}
        </div>
      )}
    </QueryView>
  )
}
