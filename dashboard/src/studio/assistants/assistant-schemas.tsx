/** The input and output of an assistant's graph, as JSON Schemas. */
import { useQuery } from '@tanstack/react-query'
import { useAgentServer } from '../../api/agent-server.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { schemasQuery } from '../queries.ts'

const SCHEMAS = [
  ['input_schema', 'Input'],
  ['output_schema', 'Output'],
  ['state_schema', 'State'],
  ['context_schema', 'Context'],
  ['config_schema', 'Configuration'],
] as const

export function AssistantSchemas({ assistantId }: { assistantId: string }) {
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
