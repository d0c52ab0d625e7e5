/** Components that the server hands to whoever shows the chat. */
import { useStreamContext } from '@langchain/langgraph-sdk/react-ui'

interface WeatherProps {
  city: string
  degrees: number
}

function Weather({ city, degrees }: WeatherProps) {
  const { submit } = useStreamContext<{ messages: unknown[] }>()
  const again = () => {
    const content = `weather in ${city}`
    void submit({ messages: [{ type: 'human', content }] })
  }
  return (
    <section aria-label={`Weather in ${city}`} style={{ padding: '12px 0' }}>
      <strong style={{ fontSize: '1.75rem' }}>{degrees} °C</strong>
      <div>{city}</div>
      <button type="button" onClick={again}>
        Look again
      </button>
    </section>
  )
}

export default { weather: Weather }
