/** Reads and changes the domains of a deployment. */
import {
  type Deployment,
  type DomainCertificateRequest,
  type DomainCreateRequest,
  dataOf,
  doneBy,
} from '@runyard/client'
import { queryOptions } from '@tanstack/react-query'
import { controlPlane } from '../../api/control-plane.ts'
import { PACE } from '../../api/deployments.ts'
import { useAction } from '../actions.ts'

const { api } = controlPlane
const ALL = '/v2/deployments/{deployment_id}/domains'
const ONE = `${ALL}/{host}` as const

export function domainsQuery(deployment_id: string) {
  return queryOptions({
    queryKey: ['deployments', deployment_id, 'domains'],
    queryFn: () => dataOf(api.GET(ALL, { params: { path: { deployment_id } } })),
    // Polls faster while a DNS record does not point here: the user may just have changed it.
    refetchInterval: ({ state: { data } }) =>
      data?.resources.some(({ dns }) => dns !== 'points_here') ? 2 * PACE : 12 * PACE,
  })
}

export function useAddDomain({ id: deployment_id, name }: Deployment) {
  return useAction({
    deployment_id,
    act: (body: DomainCreateRequest) =>
      dataOf(api.POST(ALL, { params: { path: { deployment_id } }, body })),
    said: (_, { host }) => `${name} answers at ${host}.`,
  })
}

export function useRemoveDomain({ id: deployment_id, name }: Deployment) {
  return useAction({
    deployment_id,
    act: (host: string) => doneBy(api.DELETE(ONE, { params: { path: { deployment_id, host } } })),
    said: (host) => `${name} does not answer at ${host} any more.`,
  })
}

export function useSetCertificate({ id: deployment_id }: Deployment, host: string) {
  return useAction({
    deployment_id,
    act: (body: DomainCertificateRequest) =>
      dataOf(api.PUT(`${ONE}/certificate`, { params: { path: { deployment_id, host } }, body })),
    said: () => `The certificate of ${host} is set.`,
  })
}

export function useRemoveCertificate({ id: deployment_id }: Deployment) {
  return useAction({
    deployment_id,
    act: (host: string) =>
      doneBy(api.DELETE(`${ONE}/certificate`, { params: { path: { deployment_id, host } } })),
    said: (host) => `${host} has no certificate of its own any more.`,
  })
}
