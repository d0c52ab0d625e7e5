/** Adds `auth.openapi` of `langgraph.json` to the server's OpenAPI description. */
import type { OpenApiSecurity } from '../../core/agent/server/project-settings.ts'

interface Document {
  components?: object
  paths?: Record<string, object>
}

/** Replaces the schemes and requirements of the server's keys in the document by the project's. */
export function describeSecurity<T extends Document>(document: T, own: OpenApiSecurity): T {
  const { securitySchemes, security, paths = {} } = own
  const changed = Object.entries(paths).flatMap(([path, methods]) => {
    const operations = document.paths?.[path]
    return operations ? [[path, withSecurity(operations, methods)] as const] : []
  })
  return {
    ...document,
    ...(security && { security }),
    ...(securitySchemes && { components: { ...document.components, securitySchemes } }),
    paths: { ...document.paths, ...Object.fromEntries(changed) },
  }
}

/** Methods in upper or lower case. Methods that the path does not have are ignored. */
function withSecurity(operations: object, methods: Record<string, unknown>): object {
  const wanted = new Map(Object.entries(methods).map(([name, one]) => [name.toLowerCase(), one]))
  const entries = Object.entries(operations).map(([method, operation]) => [
    method,
    wanted.has(method) ? { ...operation, security: wanted.get(method) } : operation,
  ])
  return Object.fromEntries(entries)
}
