/** What schemathesis finds between a server and its document, and why it is as it should be. */
import type { DocumentName } from '../contract/document.ts'
import type { Finding } from './schemathesis.ts'

interface Explanation {
  /** Both, where it is missing. */
  document?: DocumentName
  operation?: RegExp
  check: string
  message?: RegExp
  request?: RegExp
  answer?: RegExp
  reason: string
}

const EXPLAINED: Explanation[] = [
  {
    check: 'positive_data_acceptance',
    answer: /^400 /,
    reason: 'What the request meets decides: a thread without a graph, a source of another kind.',
  },
  {
    check: 'negative_data_rejection',
    message: /query/,
    request: /[?&][^=&\s]+=(&|\s)/,
    answer: /^20\d /,
    reason: 'An empty query value counts as absent.',
  },
  {
    check: 'unsupported_method',
    answer: /^422 .*"(path|body)"/,
    reason:
      'Beside /threads/count there is /threads/{thread_id}: PATCH is asked of a thread "count".',
  },
  {
    check: 'positive_data_acceptance',
    answer: /^422 .*(Expected a time such as|Invalid ISO datetime|moment in the future)/,
    reason:
      'Schemathesis forgets the format of a text that may be null; no schema knows the future.',
  },
  {
    check: 'positive_data_acceptance',
    answer: /^422 .*9007199254740991/,
    reason: 'Larger integers are not kept as they are; the document does not say so of each.',
  },
  {
    check: 'error',
    message: /"type":"SystemError"/,
    reason: 'Python itself gave up while it made a request.',
  },
  {
    document: 'agent-server',
    check: 'positive_data_acceptance',
    answer: /^422 .*"idempotency-key"\],"msg":"This key came with another request/,
    reason: 'Schemathesis uses a key twice.',
  },
  {
    check: 'status_code_conformance',
    answer: /^431 /,
    reason: 'Node itself refuses a head of more than 16 KiB, at any address.',
  },
  {
    check: 'negative_data_rejection',
    answer: /^431 /,
    reason: 'The same.',
  },
  {
    check: 'positive_data_acceptance',
    answer: /^431 /,
    reason: 'The same.',
  },
  {
    check: 'unsupported_method',
    answer: /^431 /,
    reason: 'The same.',
  },
  {
    document: 'control-plane',
    operation: /^GET \/v2\/auth\/(callback|setup)\//,
    check: 'error',
    message: /reset|aborted|broken/i,
    reason: 'The same: Node closes the connection then.',
  },
  {
    document: 'control-plane',
    operation: /\/v2\/auth\/providers/,
    check: 'positive_data_acceptance',
    answer:
      /^422 .*(Expected a URL|Give an https URL|is not a public address|is no page of the web|part after|hold a password|one of allowed_redirect_uris|needs S256|Expected none of)/,
    reason: 'Which addresses may be asked, and which settings go together, is beyond a schema.',
  },
  {
    document: 'control-plane',
    check: 'positive_data_acceptance',
    answer: /^422 .*Invalid key in record/,
    reason: 'The keys of an object are on one line; the document says so of values only.',
  },
  {
    check: 'response_schema_conformance',
    message: /^Event #\d/,
    reason: 'The document describes a stream as the text that it is, schemathesis each event.',
  },
  {
    document: 'agent-server',
    operation: /^POST \/assistants\/\{assistant_id\}\/latest$/,
    check: 'positive_data_acceptance',
    answer: /^422 .*"version"\],"msg":"Required/,
    reason: 'The number stands in the body or in the query.',
  },
  {
    document: 'agent-server',
    operation: /^POST \/assistants\/\{assistant_id\}\/latest$/,
    check: 'negative_data_rejection',
    message: /Missing required property: version/,
    reason: 'The same: from that refusal schemathesis learns that the body needs it.',
  },
  {
    document: 'agent-server',
    operation: /^POST \/(mcp\/|a2a\/|threads\/\{thread_id\}\/commands)/,
    check: 'negative_data_rejection',
    answer: /^(200 .*"error"|202 )/s,
    reason: 'Their refusals are answers of their protocols, and notifications are taken unread.',
  },
  {
    document: 'agent-server',
    operation: /(wait|join|stream|cancel)$/,
    check: 'error',
    message: /timed out|prematurely|broken|aborted|reset/i,
    reason: 'They last as long as the run that they follow.',
  },
  {
    document: 'agent-server',
    operation: /^GET \/mcp\//,
    check: 'positive_data_acceptance',
    answer: /^405 /,
    reason: 'It is always refused, as the document says.',
  },
  {
    document: 'agent-server',
    check: 'positive_data_acceptance',
    answer:
      /^422 .*(There is no time zone|schedule|state_update|"webhook"\]|Namespace labels|namespace cannot be)/,
    reason: 'Which time zones, schedules, URLs, first labels and states of a graph there are.',
  },
  {
    document: 'agent-server',
    operation: /^POST .*\/cancel$/,
    check: 'positive_data_acceptance',
    answer: /^422 .*A reason goes with action=interrupt only/,
    reason: 'Two parameters of a query that exclude each other are beyond OpenAPI.',
  },
]

/** Those that nothing explains. */
export function unexplained(document: DocumentName, findings: Finding[]): Finding[] {
  return findings.filter((finding) => !EXPLAINED.some((one) => explains(one, document, finding)))
}

function explains(one: Explanation, document: DocumentName, finding: Finding): boolean {
  return (
    (one.document ?? document) === document &&
    one.check === finding.check &&
    (one.operation?.test(finding.operation) ?? true) &&
    (one.message?.test(finding.message) ?? true) &&
    (one.request?.test(finding.request) ?? true) &&
    (one.answer?.test(finding.answer) ?? true)
  )
}
