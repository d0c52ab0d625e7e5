/** In which language the graphs are that the agent server's API tests run. */
import { describe } from 'vitest'
import type { Difference } from '../../languages.ts'

export const LANGUAGES = ['javascript', 'python'] as const

export type Language = (typeof LANGUAGES)[number]

export const LANGUAGE: Language = process.env.TEST_HOST === 'python' ? 'python' : 'javascript'

/** What is expected where the languages differ, for a reason that stands in `test/languages.ts`. */
export function inLanguage<T>(
  language: Language,
  _why: Difference,
  expected: Record<Language, T>,
): T {
  return expected[language]
}

/** The same, of the language of this run's graphs. */
export function differing<T>(why: Difference, expected: Record<Language, T>): T {
  return inLanguage(LANGUAGE, why, expected)
}

/** `describe` for one language alone: of the other one there is nothing, or something else, to be said. */
export function describeIn(language: Language, _why: Difference): typeof describe {
  return language === LANGUAGE ? describe : nothing
}

const nothing = (() => {}) as unknown as typeof describe
