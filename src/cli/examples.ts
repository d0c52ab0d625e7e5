/** The examples at the end of a command's help. */

export type Example = readonly [command: string, what: string]

export function describeExamples(examples: readonly Example[]): string {
  const lines = examples.map(([command, what]) => `  # ${what}\n  ${command}`)
  return ['', 'Examples:', ...lines].join('\n')
}
