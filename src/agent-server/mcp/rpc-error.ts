/** Refusals of the Model Context Protocol. */

/** The answer that the protocol's own library gives to a method that it does not support. */
export const NOT_SUPPORTED = -32000

export function rpcError(code: number, message: string) {
  return { jsonrpc: '2.0' as const, error: { code, message }, id: null }
}
