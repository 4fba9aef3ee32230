import picomatch from 'picomatch';
import type { AccessSettings, AccessTier } from '../config/runtime-config.ts';

/** Says what holds for a call of a tool. A call of a sub-agent is reviewed where others are only confirmed. */
export type AccessRules = (toolName: string, call: { readonly isDelegated: boolean }) => AccessTier;

/** Names of tools that are longer are matched by exact rules alone: a model can write any name. */
const GLOB_CHARS = 256;

// A `*` in a rule about tools is any text: without `bash` it would stop at a slash, and a `never` would not hold there.
const OPTIONS = { bash: true, dot: true, nobrace: true, noextglob: true, nonegate: true } as const;

/** Compiles the rules of runtime.json. */
export function createAccessRules({ rules, default: otherwise }: AccessSettings): AccessRules {
  const compiled = rules.map(({ tool, glob, tier }) => {
    const matches = glob === undefined ? () => false : picomatch(glob, OPTIONS);
    return {
      tier,
      isAbout: (name: string) =>
        name === tool ||
        (name.length <= GLOB_CHARS ? matches(name) : glob !== undefined && tier !== 'allow'),
    };
  });
  return (toolName, { isDelegated }) => {
    const tier = compiled.find(({ isAbout }) => isAbout(toolName))?.tier ?? otherwise;
    return tier === 'confirm' && isDelegated ? 'review' : tier;
  };
}

/** Whether the rules could ever be against a call. */
export function isRestricting({ rules, default: otherwise }: AccessSettings): boolean {
  return otherwise !== 'allow' || rules.some(({ tier }) => tier !== 'allow');
}
