/**
 * As `fetch`. A glance at a deployment that sleeps is answered by the gateway with 204, so that the browser's console
 * stays clean; whoever asked is given the refusal that it means.
 */
export async function agentFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  if (!response.headers.has('x-runyard-asleep')) return response
  return Response.json({ detail: 'The deployment is asleep.' }, { status: 409 })
}
