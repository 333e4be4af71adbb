-- What `toldonce db distribute` asks of Citus, answered by bookkeeping alone: nothing is moved anywhere.

INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
VALUES (99999, 'citus', 10, 'pg_catalog'::regnamespace, false, '0-double');

CREATE TABLE public.pg_dist_node (noderole TEXT, isactive BOOLEAN, shouldhaveshards BOOLEAN);
CREATE TABLE public.pg_dist_partition (
    logicalrelid REGCLASS PRIMARY KEY, partmethod "char", partkey TEXT, colocationid INTEGER
);
CREATE TABLE public.called (what TEXT);

CREATE FUNCTION public.citus_is_coordinator() RETURNS BOOLEAN LANGUAGE sql AS 'SELECT true';

CREATE FUNCTION public.column_to_column_name(REGCLASS, TEXT) RETURNS TEXT LANGUAGE sql AS 'SELECT $2';

CREATE FUNCTION public.create_reference_table(named REGCLASS) RETURNS VOID LANGUAGE plpgsql AS $body$
BEGIN
    INSERT INTO public.pg_dist_partition VALUES (named, 'n', NULL, 1);
    INSERT INTO public.called VALUES (format('reference %s', named));
END
$body$;

-- Refuses what Citus does: triggers that nobody answers for, and what would be unique across shards.
CREATE FUNCTION public.create_distributed_table(
    named REGCLASS, by TEXT, colocate_with TEXT DEFAULT 'default', shard_count INTEGER DEFAULT NULL
) RETURNS VOID LANGUAGE plpgsql AS $body$
DECLARE
    together INTEGER := 2;
BEGIN
    IF EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = named)
       AND coalesce(current_setting('citus.enable_unsafe_triggers', true), 'off') <> 'on' THEN
        RAISE EXCEPTION 'cannot distribute relation "%" because it has triggers', named USING ERRCODE = '0A000';
    END IF;
    IF EXISTS (SELECT 1
                 FROM pg_index AS i
                WHERE i.indrelid = named AND i.indisunique
                  AND NOT EXISTS (SELECT 1 FROM pg_attribute AS a
                                   WHERE a.attrelid = named AND a.attname = by AND a.attnum = ANY (i.indkey))) THEN
        RAISE EXCEPTION 'cannot create constraint on "%"', named USING ERRCODE = '0A000';
    END IF;
    IF colocate_with <> 'none' THEN
        SELECT colocationid INTO STRICT together FROM public.pg_dist_partition
         WHERE logicalrelid = colocate_with::REGCLASS;
    END IF;
    INSERT INTO public.pg_dist_partition VALUES (named, 'h', by, together);
    INSERT INTO public.called VALUES (format('distribute %s by %s with %s in %s', named, by, colocate_with, shard_count));
END
$body$;
