import { printable } from '../config/printable.ts';
import { examine } from '../doctor/examine.ts';
import { EXIT } from './exit-code.ts';
import type { Session } from './session.ts';

/** Says how well this machine holds hooks of others, and tries it; 1 where something is weak. */
export async function runDoctor({ terminal, config }: Session): Promise<number> {
  const { ok, findings } = await examine(config, (text) => terminal.progress(text));
  terminal.progress();
  if (terminal.isJson) terminal.json({ ok, findings });
  else {
    terminal.table(
      ['state', 'about', 'name', 'detail'],
      findings.map(({ state, about, name, detail }) => [state, about, name, detail]),
    );
    for (const { state, name, advice } of findings) {
      if (state !== 'fine' && advice !== undefined)
        terminal.note(`${state} ${printable(name)}: ${printable(advice)}`);
    }
    terminal.line(ok ? 'Nothing is weak.' : 'Something is weak: see above.');
  }
  return ok ? EXIT.ok : EXIT.problems;
}
