/** Which refs of a repository a revision may name. */
import { AppError } from '../../errors.ts'

/** What git-check-ref-format refuses, but for its rarer rules, and what git would take for an option. */
const MALFORMED = /^[-/.]|[/.]$|\.lock$|\.\.|\/\/|\/\.|@\{/
const CHARACTERS = /^[^\s~^:?*[\\\p{Cc}]+$/u

/** Throws `bad_request` for what git could not know as a branch, a tag or a commit. */
export function checkRepoRef(ref: string): void {
  if (ref.length <= 255 && CHARACTERS.test(ref) && !MALFORMED.test(ref)) return
  throw new AppError(
    'bad_request',
    'source_revision_config.repo_ref must be a branch, a full tag ref (refs/tags/v1) or a commit.',
  )
}
