import type { JsonSchema, PointRow } from '../../api/trial-shapes.ts';
import { ActionTag } from '../../parts/action-tag.tsx';

/** The fields of a point's payload and the decisions that are legal there. */
export function SchemaHelp({ row }: { readonly row: PointRow }) {
  const { properties = {}, required = [] } = row.payloadSchema;
  return (
    <details>
      <summary>Fields of {row.point}</summary>
      <dl class="schema">
        {Object.entries(properties).map(([name, schema]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>{' '}
              <span class="soft small">
                {typeOf(schema)}
                {required.includes(name) ? ', required' : ''}
              </span>
            </dt>
            {schema.description !== undefined && <dd class="small">{schema.description}</dd>}
          </div>
        ))}
      </dl>
      <p class="row small">
        <span class="soft">Decisions here:</span>
        {row.decisions.map((action) => (
          <ActionTag key={action} action={action} />
        ))}
      </p>
    </details>
  );
}

function typeOf({ type, enum: values, items, default: standard }: JsonSchema): string {
  const base =
    values === undefined
      ? [type ?? 'anything'].flat().join(' or ')
      : values.map((value) => JSON.stringify(value)).join(' | ');
  const whole = items === undefined ? base : `${base} of ${typeOf(items)}`;
  return standard === undefined ? whole : `${whole}, ${JSON.stringify(standard)} if absent`;
}
