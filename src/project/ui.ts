/** `ui` and `ui_config` of `langgraph.json`: components that a page shows for a graph's messages. */
import { z } from 'zod'
import { AppError } from '../core/errors.ts'
import { isJavascript, type JsModule, type ReadingConfig, resolveModule } from './module-spec.ts'

export interface UiConfig {
  /** The file of components of each graph, by the name that pages ask for. */
  components: Map<string, JsModule>
  /** Modules that the page provides instead of the bundle; `*` matches any text. */
  shared: string[]
}

export const UiEntry = z.record(
  z.string().min(1),
  z.string(),
  'write {"<graph>": "./<file>.tsx"}, whose default export holds the components by name',
)

export const UiConfigEntry = z.looseObject({
  shared: z.array(z.string(), 'write a list of module names').nullish(),
})

/** Throws `bad_request`. */
export async function readUiConfig(
  reading: ReadingConfig,
  ui: z.infer<typeof UiEntry> | null | undefined,
  config: z.infer<typeof UiConfigEntry> | null | undefined,
): Promise<UiConfig> {
  const components = new Map<string, JsModule>()
  for (const [name, path] of Object.entries(ui ?? {})) {
    const module = await resolveModule(reading, `ui "${name}"`, path, 'default')
    if (!isJavascript(module)) {
      const form = 'write the path of a .tsx file'
      throw new AppError(
        'bad_request',
        `${reading.name}: ui "${name}": "${path}" is Python; ${form}.`,
      )
    }
    components.set(name, module)
  }
  return { components, shared: config?.shared ?? [] }
}
