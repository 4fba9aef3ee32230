/** The formats of an export. */
export const EXPORT_FORMATS = ['jsonl', 'csv', 'parquet'] as const;

/** One of {@link EXPORT_FORMATS}. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
