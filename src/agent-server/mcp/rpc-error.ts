/** Refusals of the Model Context Protocol. */

/** The code that the protocol's own library uses for an unsupported method. */
export const NOT_SUPPORTED = -32000

export function rpcError(code: number, message: string) {
  return { jsonrpc: '2.0' as const, error: { code, message }, id: null }
}
