import { lazy, Suspense } from 'react'

const View = lazy(() => import('./markdown-view.tsx'))

/** A model's text as Markdown. HTML in it is shown as text. Loaded when first shown. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
      <View text={text} />
    </Suspense>
  )
}
