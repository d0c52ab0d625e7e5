import './design/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { router } from './routes.tsx'
import { watchForSignOut } from './shell/sign-in/signed-out.ts'
import { applyTheme, chosenTheme } from './shell/theme.ts'

applyTheme(chosenTheme())
watchForSignOut(queryClient, router)

const root = document.getElementById('root')
if (!root) throw new Error('The page has no place for the app.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
