/** The module that hooks of Standard Agents import; every sandbox has it, whatever is installed. */
export const SPEC_MODULE = '@standardagents/spec';

/** Its source: the functions only mark definitions, and give back what they are given. */
export const SPEC_SOURCE = `
export function defineHook({ hook, id, execute, scope }) {
  return scope === undefined ? { hook, id, execute } : { hook, id, execute, scope };
}
export function defineAgent(definition) {
  return definition;
}
export function definePrompt(definition) {
  return definition;
}
`;
