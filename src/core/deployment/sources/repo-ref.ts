/** Which refs of a repository a revision may name. */
import { AppError } from '../../errors.ts'

/** Refused by git-check-ref-format (except for its rarer rules), or taken for an option by git. */
const MALFORMED = /^[-/.]|[/.]$|\.lock$|\.\.|\/\/|\/\.|@\{/
const CHARACTERS = /^[^\s~^:?*[\\\p{Cc}]+$/u

/** Throws `bad_request` for a text that cannot be a branch, a tag or a commit. */
export function checkRepoRef(ref: string): void {
  if (ref.length <= 255 && CHARACTERS.test(ref) && !MALFORMED.test(ref)) return
  throw new AppError(
    'bad_request',
    'source_revision_config.repo_ref must be a branch, a full tag ref (refs/tags/v1) or a commit.',
  )
}
