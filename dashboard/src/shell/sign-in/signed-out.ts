/**
 * Opens the sign-in page when the server reports that the session is gone. For a deployment only the control plane
 * counts: a project's own `auth` may refuse a signed-in user.
 */
import { ControlPlaneError } from '@runyard/client'
import type { QueryClient } from '@tanstack/react-query'
import type { AnyRouter } from '@tanstack/react-router'
import { MODE } from '../../api/mode.ts'
import { statusOf } from '../../api/query-client.ts'
import { wasSignedIn } from '../../api/session.ts'

export function watchForSignOut(queries: QueryClient, router: AnyRouter): void {
  queries.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') take(event.action.error)
  })
  queries.getMutationCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') take(event.action.error)
  })
  const take = (error: unknown) => {
    const { pathname, href } = router.state.location
    if (statusOf(error) !== 401 || pathname.endsWith('/sign-in')) return
    if (MODE === 'control-plane' && !(error instanceof ControlPlaneError)) return
    const search = { to: href, ...(wasSignedIn() && { ended: true }) }
    void router.navigate({ to: '/sign-in', search, replace: true })
  }
}
