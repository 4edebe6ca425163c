#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* Plays a file system that cannot hold a database, on files of databases below a path with /homes/. NOLOCK adds up:
   1 POSIX locks fail (ENOLCK), 2 maps shared with -shm fail, 4 locks on -shm fail, 8 the disk is full for databases. */
static int is_db(int fd){ char p[64], b[512]; snprintf(p,64,"/proc/self/fd/%d",fd); ssize_t n=readlink(p,b,511); if(n<0) return 0; b[n]=0; return (strstr(b,"/homes/")&&strstr(b,".db")); }
static int is_shm(int fd){ char p[64], b[512]; snprintf(p,64,"/proc/self/fd/%d",fd); ssize_t n=readlink(p,b,511); if(n<0) return 0; b[n]=0; return (strstr(b,"/homes/")&&strstr(b,"-shm")); }
static int mode(void){ const char*m=getenv("NOLOCK"); return m?atoi(m):0; }
static int do_fcntl(int (*real)(int,int,...), int fd,int cmd,void*arg){
  if(cmd==F_SETLK||cmd==F_SETLKW){ struct flock*l=arg;
    if(l->l_type!=F_UNLCK){
      if((mode()&1)&&is_db(fd)){ errno=ENOLCK; return -1; }
      if((mode()&4)&&is_shm(fd)){ errno=ENOLCK; return -1; } } }
  return real(fd,cmd,arg); }
int fcntl(int fd,int cmd,...){ static int(*r)(int,int,...); if(!r) r=dlsym(RTLD_NEXT,"fcntl"); va_list a; va_start(a,cmd); void*p=va_arg(a,void*); va_end(a); return do_fcntl(r,fd,cmd,p);}
int fcntl64(int fd,int cmd,...){ static int(*r)(int,int,...); if(!r) r=dlsym(RTLD_NEXT,"fcntl64"); va_list a; va_start(a,cmd); void*p=va_arg(a,void*); va_end(a); return do_fcntl(r,fd,cmd,p);}
void* mmap(void*a,size_t l,int pr,int fl,int fd,off_t o){ static void*(*r)(void*,size_t,int,int,int,off_t); if(!r) r=dlsym(RTLD_NEXT,"mmap"); if((mode()&2)&&fd>=0&&(fl&MAP_SHARED)&&is_shm(fd)){errno=ENODEV;return MAP_FAILED;} return r(a,l,pr,fl,fd,o);}
void* mmap64(void*a,size_t l,int pr,int fl,int fd,off_t o){ static void*(*r)(void*,size_t,int,int,int,off_t); if(!r) r=dlsym(RTLD_NEXT,"mmap64"); if((mode()&2)&&fd>=0&&(fl&MAP_SHARED)&&is_shm(fd)){errno=ENODEV;return MAP_FAILED;} return r(a,l,pr,fl,fd,o);}

static int is_full(int fd){ return (mode()&8)&&is_db(fd); }
#define FULL(name, args, pass) ssize_t name args { static ssize_t(*r) args; if(!r) r=dlsym(RTLD_NEXT,#name); if(is_full(fd)){errno=ENOSPC;return -1;} return r pass; }
FULL(write,(int fd,const void*b,size_t n),(fd,b,n))
FULL(pwrite,(int fd,const void*b,size_t n,off_t o),(fd,b,n,o))
FULL(pwrite64,(int fd,const void*b,size_t n,off_t o),(fd,b,n,o))
