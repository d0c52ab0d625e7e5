/**
 * As `fetch`. For a glance at a sleeping deployment the gateway responds 204, so that the browser's console stays
 * clean; the caller gets the 409 that it means.
 */
export async function agentFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  if (!response.headers.has('x-runyard-asleep')) return response
  return Response.json({ detail: 'The deployment is asleep.' }, { status: 409 })
}
