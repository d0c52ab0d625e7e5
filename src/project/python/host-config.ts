/** The Python host's configuration of a project: `config` of its `start` (`hosts/python/PROTOCOL.md`). */
import type { JsonObject } from '../../core/json.ts'
import type { ProjectConfig } from '../config.ts'
import { isPython, type PythonModule } from '../module-spec.ts'

/** An export of Python code, by its file or its module. */
type Export = ({ path: string } | { module: string }) & { export: string }

interface PythonHostConfig {
  graphs: Record<
    string,
    Export & { description?: string; config?: JsonObject; context?: JsonObject }
  >
  /** Folders for `sys.path`, the first first; absolute. */
  paths: string[]
  auth?: Export & { disable_studio_auth: boolean }
  app?: Export & {
    enable_custom_route_auth: boolean
    mount_prefix?: string
    middleware_order: 'auth_first' | 'middleware_first'
  }
  embed?: Export | { provider: string }
  store?: { dims: number; fields: string[] }
  langsmith: boolean
}

/** `undefined` if no part of the project is in Python. */
export function pythonHostConfig(
  config: ProjectConfig,
  { isLangSmithUsed }: { isLangSmithUsed: boolean },
): PythonHostConfig | undefined {
  const { python, auth, http, store } = config
  if (!python) return undefined
  const app = http.app && isPython(http.app) ? http.app : undefined
  const { index } = store
  return {
    graphs: Object.fromEntries(
      config.graphs.filter(isPython).map(({ graph_id, description, config, context, ...spec }) => [
        graph_id,
        {
          ...exportOf(spec),
          ...(description !== null && { description }),
          ...(config && { config }),
          ...(context && { context }),
        },
      ]),
    ),
    paths: python.paths,
    ...(auth &&
      isPython(auth) && {
        auth: { ...exportOf(auth), disable_studio_auth: auth.isStudioAuthDisabled },
      }),
    ...(app && {
      app: {
        ...exportOf(app),
        enable_custom_route_auth: http.isCustomRouteAuthEnabled,
        middleware_order: http.middlewareOrder,
        ...(http.mountPrefix !== '' && { mount_prefix: http.mountPrefix }),
      },
    }),
    ...(index?.language === 'python' && {
      embed: index.module ? exportOf(index.module) : { provider: index.embed },
      store: { dims: index.dims, fields: index.fields },
    }),
    langsmith: isLangSmithUsed,
  }
}

function exportOf({ file, module, exportName }: PythonModule): Export {
  return file === undefined ? { module, export: exportName } : { path: file, export: exportName }
}
