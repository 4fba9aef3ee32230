/** A module that registers handlers: the body of its `mount`, with `hooks` at hand. */
export function mountOf(body: string): string {
  return `export async function mount(coordinator, config) {
  const hooks = coordinator.hooks;
  ${body}
}
`;
}
