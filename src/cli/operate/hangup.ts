import type { Runtime } from '../../runtime.ts';
import type { Terminal } from '../terminal.ts';
import { tellReload } from './reload-report.ts';

/** SIGHUP as the wish for a reload, from now on. The maker ends it. */
export interface Hangups {
  /** Reloads at each signal, at once for one that came before. */
  follow(runtime: Pick<Runtime, 'reload'>): void;
  end(): void;
}

/** Catches SIGHUP, which would otherwise end the process, and the guard with it. */
export function catchHangups(terminal: Pick<Terminal, 'note' | 'error'>): Hangups {
  let runtime: Pick<Runtime, 'reload'> | undefined;
  let isWanted = false;
  let isRunning = false;
  const work = async (): Promise<void> => {
    if (runtime === undefined || isRunning) return;
    isRunning = true;
    // Signals that come meanwhile are about files that may be read already: once more is enough for all of them.
    while (isWanted) {
      isWanted = false;
      try {
        tellReload({ line: terminal.note }, await runtime.reload({ who: 'SIGHUP' }));
      } catch (error) {
        terminal.error(error);
      }
    }
    isRunning = false;
  };
  const onSignal = (): void => {
    isWanted = true;
    void work();
  };
  process.on('SIGHUP', onSignal);
  return {
    follow(opened) {
      runtime = opened;
      void work();
    },
    end: () => void process.off('SIGHUP', onSignal),
  };
}
