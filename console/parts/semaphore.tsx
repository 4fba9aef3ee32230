/** How a hook stands, drawn as a signal: raised when it works, level when it fails, crossed out when nobody obeys it. */
export function Semaphore({ state, mode }: { readonly state: string; readonly mode: string }) {
  const look = state === 'failing' ? 'failing' : mode === 'shadow' ? 'shadow' : 'live';
  return (
    <svg class={`signal ${look}`} viewBox="0 0 24 28" role="img" aria-label={look}>
      <path class="post" d="M7 3v23M3 26h8" stroke-width="2.500" stroke-linecap="round" />
      <g class="arm">
        <path d="M7 4.500h15v5H7z" />
        {look === 'shadow' && (
          <path class="cross" d="M12 4.500l5 5M17 4.500l-5 5" stroke-width="1.500" />
        )}
      </g>
      <circle class="post" cx="7" cy="7" r="1.500" stroke-width="1.500" />
    </svg>
  );
}
