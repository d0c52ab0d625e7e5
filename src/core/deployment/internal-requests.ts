/** Requests to an agent server that only its gateway and its driver may make: their headers and paths. */

/** Where an agent server that is no child accepts its driver's WebSocket. */
export const RUNTIME_LINK_PATH = '/internal/runtime'

/**
 * The readiness probe of an agent server that is no child, without a token: 200, or 503 before its project is loaded
 * and after its shutdown began. The response says nothing else.
 */
export const RUNTIME_PROBE_PATH = '/internal/ok'

/**
 * `cancel` on a response about a run: the run is cancelled when the client leaves before its end. For the gateway only.
 */
export const ON_LEAVE_HEADER = 'x-runyard-on-leave'

/** The header that carries `Endpoint.token`. */
export const GATEWAY_TOKEN_HEADER = 'x-runyard-gateway'

/** The header with the `user_id` of the admitted caller, percent-encoded. */
export const CALLER_HEADER = 'x-runyard-caller'

/** The header with the caller's role. Absent: the gateway required none. */
export const ROLE_HEADER = 'x-runyard-role'
