import { useEffect } from 'preact/hooks';

/** Does something at single keys, while nobody types and nothing is held down. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, target, repeat, ctrlKey, metaKey, altKey } = event;
      if (repeat || ctrlKey || metaKey || altKey || event.defaultPrevented || isTyped(target))
        return;
      const action = Object.hasOwn(actions, key) ? actions[key] : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
}

function isTyped(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
}
