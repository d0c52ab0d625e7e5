/** The fields of an assistant, besides its graph. */
import type { Assistant, GraphSchema, Metadata } from '@langchain/langgraph-sdk'
import type { State } from '../../api/thread-state.ts'
import { TextField } from '../../design/field.tsx'
import { namesFields, SchemaEditor } from '../../design/schema/editor.tsx'

/** Undefined fields: the typed text is not a JSON object yet. */
export interface AssistantDraft {
  name: string
  description: string
  context: State | undefined
  config: State | undefined
  metadata: State | undefined
}

export const EMPTY_DRAFT: AssistantDraft = {
  name: '',
  description: '',
  context: {},
  config: {},
  metadata: {},
}

export function draftOf(assistant: Assistant): AssistantDraft {
  const { name, description, context, config, metadata } = assistant
  return {
    name,
    description: description ?? '',
    context: (context ?? {}) as State,
    config: { ...config },
    metadata: { ...metadata },
  }
}

/** The body for the server; undefined while the draft is invalid. */
export function contentOf(draft: AssistantDraft) {
  const { name, description, context, config, metadata } = draft
  if (!context || !config || !metadata || name.trim() === '') return undefined
  return { name, description, context, config, metadata: metadata as Metadata }
}

export function AssistantFields(props: {
  draft: AssistantDraft
  onChange: (change: Partial<AssistantDraft>) => void
  schemas: GraphSchema
}) {
  const { draft, onChange, schemas } = props
  return (
    <div className="space-y-4">
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => onChange({ name })}
        isRequired
      />
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => onChange({ description })}
      />
      <SchemaEditor
        label="Context"
        schema={schemas.context_schema}
        value={draft.context ?? {}}
        onChange={(context) => onChange({ context })}
      />
      <SchemaEditor
        label="Configuration"
        schema={configSchema(schemas)}
        value={draft.config ?? {}}
        onChange={(config) => onChange({ config })}
      />
      <SchemaEditor
        label="Metadata"
        schema={undefined}
        value={draft.metadata ?? {}}
        onChange={(metadata) => onChange({ metadata })}
        minHeight="4rem"
      />
    </div>
  )
}

/**
 * A graph's config schema describes only `configurable`; the rest is the same for all graphs. If the graph has a
 * context, both schemas have the same fields, and the user fills them in at the context.
 */
function configSchema({ config_schema, context_schema }: GraphSchema): object {
  const { $defs, definitions, ...own } = (config_schema ?? {}) as Record<string, unknown>
  const isContext = JSON.stringify(config_schema) === JSON.stringify(context_schema)
  return {
    type: 'object',
    properties: {
      ...(namesFields(own) && !isContext && { configurable: { ...own, title: 'Configurable' } }),
      recursion_limit: {
        type: 'integer',
        title: 'Recursion limit',
        description: 'How many steps a run may take.',
      },
      tags: { type: 'array', title: 'Tags', items: { type: 'string' } },
    },
    ...($defs ? { $defs } : {}),
    ...(definitions ? { definitions } : {}),
  }
}
