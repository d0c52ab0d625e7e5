/** The refusals of an operation, for its OpenAPI description. */
import { RefusalSchema, ValidationErrorSchema } from '../../http/app.ts'

const REFUSALS = {
  400: { description: 'Cannot be done so', schema: RefusalSchema },
  404: { description: 'Not found', schema: RefusalSchema },
  409: { description: 'Conflict', schema: RefusalSchema },
  410: { description: 'Not kept any more', schema: RefusalSchema },
  422: { description: 'The request does not validate', schema: ValidationErrorSchema },
  429: {
    description: 'Too many; the answer says of what, and `Retry-After` when',
    schema: RefusalSchema,
  },
} as const

type Status = keyof typeof REFUSALS

export function refusals(...statuses: Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, refusal(status)]))
}

function refusal(status: Status) {
  const { description, schema } = REFUSALS[status]
  return { description, content: { 'application/json': { schema } } }
}
