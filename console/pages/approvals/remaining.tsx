import { useEffect, useState } from 'preact/hooks';

/** How long there still is, as it runs out. */
export function Remaining({ until }: { readonly until: string }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((new Date(until).getTime() - now) / 1000));
  if (seconds === 0) return <span>expired</span>;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return (
    <span class={seconds < 60 ? 'urgent' : ''}>
      {minutes > 0 && `${minutes} min `}
      {rest} s left
    </span>
  );
}
