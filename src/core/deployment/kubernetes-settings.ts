/** The operator's settings for the cluster of the agent servers. */

/** What `resource_spec` may request only if the operator allows it. */
export const ALLOWANCES = [
  'any_user',
  'csi',
  'host_path',
  'nfs',
  'projected',
  'service_account',
] as const
export type Allowance = (typeof ALLOWANCES)[number]

/** Who sets the number of pods: Runyard, or a HorizontalPodAutoscaler between the limits of `resource_spec`. */
export const SCALINGS = ['own', 'hpa'] as const

export interface KubernetesSettings {
  /** A kubeconfig's path; `undefined`: the cluster that this process runs in, by its service account. */
  kubeconfig: string | undefined
  /** Where pods run. `{workspace_id}` in it gives each workspace a namespace of its own. */
  namespace: string
  /** Runyard's own image, for artifacts that are folders. */
  image: string
  /** Distinguishes this Runyard's objects from those of others in the cluster; a label's value. */
  installation: string
  allow: readonly Allowance[]
  scaling: (typeof SCALINGS)[number]
  /**
   * The sources that may connect to agent servers, besides the control plane's pods, as CIDRs. A control plane outside
   * of the cluster must be among them; if none is named then, agent servers are open to all.
   */
  ingressFrom: readonly string[]
}
