/** The control plane that this page came from, asked with the session's cookie. */
import { ControlPlaneClient } from '@runyard/client'
import { workspaceHeaders } from './workspace.ts'

export const controlPlane = new ControlPlaneClient({
  url: location.origin,
  fetch: (request, init) => fetch(withWorkspace(new Request(request, init))),
})

/** Adds the chosen workspace; without one the server uses the person's first. A request may name another. */
function withWorkspace(request: Request): Request {
  for (const [name, value] of Object.entries(workspaceHeaders()))
    if (!request.headers.has(name)) request.headers.set(name, value)
  return request
}
