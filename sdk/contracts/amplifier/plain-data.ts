type Data = Record<string, unknown>;

/** Data as JSON can say it; what JSON has no word for is text. */
export function plain(data: Readonly<Data>): Data {
  const text = JSON.stringify(data, (_key, value: unknown) => {
    if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
    return typeof value === 'function' ? '(function)' : value;
  });
  return JSON.parse(text) as Data;
}
