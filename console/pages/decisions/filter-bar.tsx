import { useId } from 'preact/hooks';

import { ACTION_NAMES } from '../../../sdk/decisions.ts';
import { useResource } from '../../api/resource.ts';
import type { Overview } from '../../api/shapes.ts';
import { useIsNarrow } from '../../parts/narrow.ts';
import { NO_FILTER, type Filter } from './filter.ts';

/** The fields that narrow down what is shown. */
export function FilterBar({
  filter,
  onChange,
  isLive,
}: {
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
  readonly isLive: boolean;
}) {
  const overview = useResource<Overview>('/v1/overview');
  const points = overview.value?.points.map(({ point }) => point) ?? [];
  const hooks = overview.value?.hooks.map(({ hook }) => hook) ?? [];
  const set = (part: Partial<Filter>): void => onChange({ ...filter, ...part });
  const isNarrowed = JSON.stringify(filter) !== JSON.stringify(NO_FILTER);
  const isNarrow = useIsNarrow();
  return (
    <details class="filter-box" open={!isNarrow || undefined}>
      <summary>Filter{isNarrowed ? ', on' : ''}</summary>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label="Point"
          value={filter.point}
          values={points}
          onInput={(point) => set({ point })}
        />
        <Choice
          label="Decision"
          value={filter.action}
          values={ACTION_NAMES}
          onInput={(action) => set({ action })}
        />
        <Text
          label={isLive ? 'Hook, or a part' : 'Hook'}
          value={filter.hook}
          values={hooks}
          onInput={(hook) => set({ hook })}
        />
        <Text
          label={isLive ? 'Package, or a part' : 'Package'}
          value={filter.package}
          onInput={(name) => set({ package: name })}
        />
        <Text label="Session" value={filter.session} onInput={(session) => set({ session })} />
        <Text label="Turn" value={filter.turn} onInput={(turn) => set({ turn })} />
        {!isLive && (
          <Choice
            label="Since"
            value={filter.hours}
            values={Object.keys(SPANS)}
            labels={SPANS}
            onInput={(hours) => set({ hours })}
          />
        )}
        <Text label="Code of failure" value={filter.code} onInput={(code) => set({ code })} />
        <label class="tick">
          <input
            type="checkbox"
            checked={filter.wouldBlock}
            onChange={(event) => set({ wouldBlock: event.currentTarget.checked })}
          />
          Would block
        </label>
        <button
          type="button"
          class="button quiet"
          disabled={!isNarrowed}
          onClick={() => onChange(NO_FILTER)}
        >
          Show all
        </button>
      </form>
    </details>
  );
}

/** How far back, in hours. */
const SPANS: Readonly<Record<string, string>> = {
  1: 'an hour ago',
  24: 'a day ago',
  168: 'a week ago',
};

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly values?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly onInput: (value: string) => void;
}

function Choice({ label, value, values = [], labels = {}, onInput }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select class="input" value={value} onChange={(event) => onInput(event.currentTarget.value)}>
        <option value="">Any</option>
        {values.map((name) => (
          <option key={name} value={name}>
            {labels[name] ?? name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Text({ label, value, values, onInput }: FieldProps) {
  const list = useId();
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class="input"
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value.trim())}
        {...(values !== undefined && { list })}
      />
      {values !== undefined && (
        <datalist id={list}>
          {values.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </label>
  );
}
