import type { Activity } from './activity.ts';
import type { RunType, ToChild } from '../messages.ts';

/** What a child is sent for an activity to begin with; a load is never sent ahead. */
export function messageOf({ id, place, work }: Activity, type: RunType): ToChild {
  if (work.kind === 'run') return { type, id, place: place.id, ops: work.ops, input: work.input };
  const { name, contract, config, code, file, memoryMb, declared } = place.source;
  const input = JSON.stringify({ name, points: [], ...declared, config });
  return {
    type: 'open',
    id,
    place: place.id,
    hook: { name, contract, input, code, file, memoryMb },
  };
}
