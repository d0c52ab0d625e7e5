/** What a thread of the database does for `appends.ts`. */
import type { ThreadWork } from '../db/db.ts'
import { appendAsked } from './appends.ts'

const work: ThreadWork = appendAsked
export default work
