/** Addresses of the pages of one deployment, for `<Link to>`. */
export function pagesOf(deployment_id: string) {
  const base = `/deployments/${deployment_id}`
  return {
    overview: base,
    revisions: `${base}/revisions`,
    revision: (revision_id: string) => `${base}/revisions/${revision_id}`,
    logs: `${base}/logs`,
    studio: `${base}/studio`,
    threads: `${base}/threads`,
    runs: `${base}/runs`,
    settings: `${base}/settings`,
    thread: (thread_id: string) => `${base}/threads/${thread_id}`,
  }
}
