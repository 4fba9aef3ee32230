const PATHS = {
  overview: 'M4 12h16M7 12v-5M12 12v5M17 12V7M7 5.5v.01M12 18.5v.01M17 5.5v.01',
  decisions: 'M6 21V4M6 5h11l-3 3 3 3H6M14 17h6M14 21h6',
  approvals: 'M12 4v9M8.500 6v7.500M15.500 6v6M19 9v6a7 6 0 0 1-13 3l-2.500-5 2-1 3 3',
  packages: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8',
  try: 'M4 19h16M9 19l5-13M14 6a1.500 1.500 0 1 0 .8-2.400M6 19v-3h6',
  replay: 'M4 12a8 8 0 1 0 3-6.200M4 4v4h4M12 8v4l3 2',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  light:
    'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v1.500M12 19.500V21M3 12h1.500M19.500 12H21M5.600 5.600l1 1M17.400 17.400l1 1M5.600 18.400l1-1M17.400 6.600l1-1',
  dark: 'M19 14.500A7.500 7.500 0 0 1 9.500 5a7.500 7.500 0 1 0 9.500 9.500z',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside a word; the word says it all. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
