import type { ReactNode, SVGProps } from 'react'

export type Icon = ReturnType<typeof icon>

const STROKE = { stroke: 'currentColor', strokeWidth: 2, strokeLinecap: 'round' } as const

/** Makes a component of shapes on 24 by 24 units. Screen readers skip it: it stands beside a text, or in a named button. */
export function icon(shapes: ReactNode) {
  return ({ size, ...props }: SVGProps<SVGSVGElement> & { size: number }) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      {...STROKE}
      strokeLinejoin="round"
      aria-hidden="true"
      {...props}
    >
      {shapes}
    </svg>
  )
}
